"""Homework sheets and exams for paper: student's copies, and keys apart from them, in build/handouts/.

paper.py     a sheet or an exam as Markdown, without its keys and with them, and as a page of HTML
__main__.py  `python -m tools.handouts`: writes HTML, Markdown, and a PDF where a Chromium is found
"""
