#!/usr/bin/env bash
# The entry point of an external grader for PrairieLearn: grade.sh EXERCISE [OPTION OF grade.py]...
#
# Build the image that the Dockerfile beside this file describes, push it to where your PrairieLearn finds it,
# and write its name and the exercise's into the question's info.json, as in the one beside this file.
# question.html shows what the question needs: the file to hand in, and where the results are shown.
#
# PrairieLearn lays what a student hands in into /grade/student and takes /grade/results/results.json. There is
# a valid one whatever happens: grade.py writes one when it fails or is stopped, and where it could not even
# begin, this script does. It is "not gradable" then and costs the student no attempt.
#
# GRADE names another folder than /grade, HELPDESK another one than /helpdesk for the course; the course's own
# tests use them. SECONDS_AT_MOST must stay below the timeout in info.json.
set -uo pipefail

grade=${GRADE:-/grade}
course=${HELPDESK:-/helpdesk}
results=$grade/results/results.json
mkdir -p "$grade/results" "$grade/student"
rm -f "$results"

exercise=${1-}
shift
timeout --kill-after=10 "${SECONDS_AT_MOST:-280}" python3 "$course/grade.py" "$exercise" \
    --submission "$grade/student" --format prairielearn -o "$results" "$@" </dev/null
echo "grade.py: exit status $?"

[[ -s $results ]] || cat >"$results" <<'JSON'
{
  "gradable": false,
  "format_errors": [
    "The grader failed, which says nothing about your work."
  ],
  "message": "Tell whoever runs this course. What went wrong is in the grader's own output."
}
JSON
