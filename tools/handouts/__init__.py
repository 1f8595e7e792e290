"""Homework sheets and exams for paper: student's copies, and keys apart from them, in build/handouts/."""
