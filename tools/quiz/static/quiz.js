// Quizzes in a page: check a question, show the reason, count. Nothing is stored, nothing is sent.
"use strict";
for (const quiz of document.querySelectorAll(".quiz")) {
  const score = quiz.querySelector(".quiz-score");
  const right = quiz.querySelector(".quiz-right");
  const tried = quiz.querySelector(".quiz-tried");
  score.hidden = false;
  for (const question of quiz.querySelectorAll(".quiz-question")) {
    const answer = question.querySelector(".quiz-answer");
    const button = question.querySelector(".quiz-check");
    const reasons = question.querySelector(".quiz-reasons");
    let first = true; // the first try counts
    button.hidden = false;
    reasons.hidden = true; // each reason is shown in its turn
    question.addEventListener("change", () => answer.replaceChildren());
    button.addEventListener("click", () => {
      const chosen = question.querySelector("input:checked");
      if (!chosen) {
        answer.textContent = "Choose an answer first.";
        return;
      }
      const reason = reasons.querySelector(`[data-choice="${chosen.value}"]`);
      answer.replaceChildren(reason.cloneNode(true));
      if (first) {
        first = false;
        tried.textContent = Number(tried.textContent) + 1;
        if (reason.dataset.right === "true") right.textContent = Number(right.textContent) + 1;
      }
    });
  }
}
