#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image of an autograder. The network is there then.
#
# How to make an autograder for one exercise, from the top of the course's repository:
#
#   git archive --format=zip --output=autograder.zip HEAD
#   echo 04_writes_that_may_be_retried/medium_race > exercise.txt
#   zip --junk-paths autograder.zip exercise.txt grading/platforms/gradescope/{setup.sh,run_autograder}
#
# Upload autograder.zip to a programming assignment that has as many points as the exercise's exercise.toml
# says, and choose an Ubuntu image of 24.04 or newer: the course needs Python 3.11.
#
# AUTOGRADER names another folder than /autograder; the course's own tests use that.
set -euo pipefail

home=${AUTOGRADER:-/autograder}

apt-get update
apt-get install --yes --no-install-recommends python3 python3-venv bubblewrap # bubblewrap isolates what runs

cd "$home/source"
python3 grade.py --help >/dev/null # makes .venv
