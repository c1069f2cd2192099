"""The database file: made when new, kept when it is the desk's, refused when it is something else."""

import sqlite3

import pytest

from helpdesk import db, world


def test_a_new_file_gets_the_tables_and_keeps_what_is_written(tmp_path):
    path = tmp_path / "desk.db"
    conn = db.connect(path)
    world.fill(conn)
    conn.close()
    again = db.connect(path)
    assert again.execute("SELECT count(*) FROM tickets").fetchone()[0] == 12
    again.close()


def test_an_empty_file_is_a_new_desk(tmp_path):
    path = tmp_path / "desk.db"
    path.touch()
    conn = db.connect(path)
    assert conn.execute("SELECT count(*) FROM tickets").fetchone()[0] == 0
    conn.close()


@pytest.mark.parametrize("kind", ["text", "foreign", "emptied", "folder", "nowhere"])
def test_what_is_no_database_of_the_desk_is_refused_in_one_line(tmp_path, kind):
    path = tmp_path / "thing"
    if kind == "text":
        path.write_text("Dear diary, this is no database. " * 40)
    elif kind == "foreign":
        other = sqlite3.connect(path)
        other.execute("CREATE TABLE birds (name TEXT)")
        other.commit()
        other.close()
    elif kind == "emptied":
        ours = db.connect(path)
        ours.execute("DROP TABLE comments")
        ours.commit()
        ours.close()
    elif kind == "folder":
        path.mkdir()
    else:
        path = tmp_path / "no" / "such" / "folder"
    with pytest.raises(db.DatabaseUnusable) as refused:
        db.connect(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_two_programs_that_start_on_one_new_file_make_its_tables_once(tmp_path):
    path = tmp_path / "desk.db"
    first = db.connect(path)
    second = db.connect(path)
    world.fill(first)
    assert second.execute("SELECT count(*) FROM users").fetchone()[0] == 6
    first.close()
    second.close()


def test_a_grown_desk_has_exactly_the_size_asked_for_and_is_the_same_each_time():
    def dump(n):
        conn = db.connect()
        world.fill(conn)
        world.grow(conn, n)
        lines = list(conn.iterdump())
        conn.close()
        return lines

    assert dump(50) == dump(50)
    assert sum('INTO "tickets"' in line for line in dump(50)) == 50
    with pytest.raises(ValueError, match="12 tickets already"):
        dump(5)


def test_the_teaching_world_is_as_the_chapters_tell_it():
    conn = db.connect()
    world.fill(conn)

    def numbers(where):
        return [row[0] for row in conn.execute(f"SELECT id FROM tickets WHERE {where} ORDER BY id")]

    assert len(numbers("1")) == 12
    assert len(numbers("customer = 'carol'")) == 4
    assert {1, 3, 4, 7} <= set(numbers("status = 'open'"))
    assert 3 not in numbers("customer = 'carol'")
    assert numbers("status = 'open' AND priority = 'urgent' AND assignee IS NULL") == [11]
    closed = conn.execute("SELECT status, resolution FROM tickets WHERE id = 5").fetchone()
    assert tuple(closed) == ("closed", "Pointed to Settings > Seats.")
    assert {tuple(row) for row in conn.execute("SELECT name, role FROM users")} >= {
        ("alice", "staff"),
        ("carol", "customer"),
        ("dave", "admin"),
    }
    conn.close()
