"""Has anything that the model reads changed since somebody reviewed it?

After a review, approve what the server says now:
`python -m testkit snapshot approve suite/snapshot/approved_tools.json -- python -m helpdesk.stdio_main`
"""

from pathlib import Path

from testkit import snapshot

APPROVED = Path(__file__).with_name("approved_tools.json")


def test_nothing_that_the_model_reads_has_changed_since_it_was_approved(client):
    changes = snapshot.compare(snapshot.load(APPROVED), snapshot.fingerprint(client.tools()))
    assert not changes, "\n".join(changes)
