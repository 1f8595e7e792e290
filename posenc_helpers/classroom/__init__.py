"""What a cell shows: claims that are measured, figures, explorers, and exercises that check themselves."""

from posenc_helpers.classroom.charts import matrices
from posenc_helpers.classroom.claims import answer, claim, difference, proof, refused
from posenc_helpers.classroom.colours import LABELS
from posenc_helpers.classroom.diagrams import three_doors
from posenc_helpers.classroom.explorers import explore
from posenc_helpers.classroom.figures import bars, in_words, show
from posenc_helpers.classroom.loss_charts import loss_against_position
from posenc_helpers.classroom.playable import play
from posenc_helpers.classroom.predictions import predict
from posenc_helpers.classroom.rules import check_encoding
from posenc_helpers.classroom.tables import show_columns, show_models, show_scorecard, show_table
