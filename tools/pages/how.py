"""The fold at the head of each notebook's page: what its marks mean."""

HOW = """<details class="how"><summary>How to read this page</summary>
<ul>
<li><code>ok</code> begins a <em>claim</em>, checked when the notebook was run: what was measured, and in brackets the bound
that it keeps. In the code it is a line with <code>claim(...)</code>.</li>
<li><code>=&gt;</code> answers a prediction that the text above asks for: make yours first.</li>
<li>▸ opens what is folded: code that only draws, hints, solutions, and sections called “Going deeper”, for a second
reading.</li>
<li>Sliders move here, without anything to install. A picture opens in full size when it is clicked.</li>
<li>A word with dots under it is explained when it is pointed at, or has the focus. <em>Door</em> 1, 2 and 3 are the places
where position enters a model: <a href="01_why_order_matters.html#the-three-doors">drawn in 01</a>.</li>
<li>✓ in the contents marks what you have read. It is kept in this browser alone, and sent to nobody.
<button type="button" class="forget-read" hidden>Forget it</button></li>
</ul>
</details>"""
