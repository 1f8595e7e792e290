# ruff: noqa: F821  (get_config is nbgrader's)
c = get_config()
c.CourseDirectory.course_id = "posenc"
c.ClearSolutions.code_stub = {"python": ""}  # the stub stands above the solution, with its own dots
c.Execute.timeout = 600  # seconds for one cell
