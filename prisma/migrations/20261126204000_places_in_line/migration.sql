-- A run has its place in the line of its concurrency key from the moment it is accepted, not from when a worker first sees
-- it. The place is a time of the database's clock: orchestrators agree on it, and two runs of one millisecond differ.

-- AlterTable
ALTER TABLE "turn" ADD COLUMN "is_seen" BOOLEAN NOT NULL DEFAULT true,
ALTER COLUMN "due_at" SET DATA TYPE TIMESTAMPTZ(6);

-- Admits the runs of a key that may begin. Ended runs hold no turn, and a delayed run that is not due has a place, but no
-- turn. Strictly in order: runs behind the first one without room are not admitted, though a newer version may allow more.
CREATE OR REPLACE FUNCTION admit_turns(wanted_key TEXT, most_runs INTEGER)
RETURNS TABLE (admitted_run UUID, admitted_priority INTEGER) LANGUAGE plpgsql SET lock_timeout = '1s' AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('turn ' || wanted_key, 0));
  DELETE FROM turn WHERE key = wanted_key
    AND NOT EXISTS (SELECT FROM run WHERE run.id = turn.run_id AND run.ended_at IS NULL);
  RETURN QUERY
    WITH line AS (
      SELECT run_id, most, row_number() OVER (ORDER BY due_at, run_id) AS place
      FROM turn WHERE key = wanted_key AND NOT is_admitted AND due_at <= clock_timestamp()
      ORDER BY due_at, run_id LIMIT most_runs
    ), room AS (
      SELECT run_id, place,
        (SELECT count(*) FROM turn WHERE key = wanted_key AND is_admitted) + place <= most AS is_there FROM line
    )
    UPDATE turn SET is_admitted = true FROM room JOIN run ON run.id = room.run_id
    WHERE turn.run_id = room.run_id AND room.is_there
      AND NOT EXISTS (SELECT FROM room earlier WHERE NOT earlier.is_there AND earlier.place < room.place)
    RETURNING turn.run_id, run.priority;
END $$;

-- Queues a run, unless it has its place already, and says whether it may begin, who else may, and with `replaces` which run
-- is newer than it, or which older ones must end first.
CREATE OR REPLACE FUNCTION take_turn(
  wanted_run UUID, wanted_key TEXT, most_at_once INTEGER, due TIMESTAMPTZ, replaces BOOLEAN, most_runs INTEGER,
  OUT has_turn BOOLEAN, OUT others JSON, OUT newer UUID, OUT older UUID[]
) LANGUAGE plpgsql SET lock_timeout = '1s' AS $$
BEGIN
  -- The key that the run was accepted with.
  wanted_key := coalesce((SELECT key FROM turn WHERE run_id = wanted_run), wanted_key);
  PERFORM pg_advisory_xact_lock(hashtextextended('turn ' || wanted_key, 0));
  INSERT INTO turn (run_id, key, most, due_at) VALUES (wanted_run, wanted_key, most_at_once, due)
    ON CONFLICT (run_id) DO UPDATE SET is_seen = true WHERE NOT turn.is_seen;
  -- A worker that asks for a run has found it due, perhaps by a clock that is ahead.
  UPDATE turn SET due_at = clock_timestamp()
    WHERE run_id = wanted_run AND NOT is_admitted AND due_at > clock_timestamp();
  IF replaces THEN
    -- Only the newest runs within the limit may begin: one of these, if the run is older than all of them.
    SELECT later.run_id INTO newer FROM turn own JOIN turn later ON later.key = own.key
      AND (later.due_at, later.run_id) > (own.due_at, own.run_id)
    WHERE own.run_id = wanted_run AND NOT own.is_admitted AND later.due_at <= clock_timestamp()
    ORDER BY later.due_at, later.run_id OFFSET (SELECT most - 1 FROM turn WHERE run_id = wanted_run) LIMIT 1;
    DELETE FROM turn WHERE run_id = wanted_run AND newer IS NOT NULL;
  END IF;
  SELECT coalesce(json_agg(json_build_object('runId', admitted_run, 'priority', admitted_priority))
    FILTER (WHERE admitted_run <> wanted_run), '[]') INTO others FROM admit_turns(wanted_key, most_runs);
  SELECT coalesce(bool_or(is_admitted), false) INTO has_turn FROM turn WHERE run_id = wanted_run;
  IF replaces AND NOT has_turn AND newer IS NULL THEN
    older := ARRAY(SELECT earlier.run_id FROM turn own JOIN turn earlier ON earlier.key = own.key
        AND (earlier.due_at, earlier.run_id) < (own.due_at, own.run_id)
      WHERE own.run_id = wanted_run
      ORDER BY earlier.due_at DESC, earlier.run_id DESC
      OFFSET (SELECT most - 1 FROM turn WHERE run_id = wanted_run));
  END IF;
END $$;

-- Gives a new run its turn, or fails with the id of a run that holds one: the whole statement that makes the run fails.
CREATE OR REPLACE FUNCTION take_turn_at_once(
  wanted_run UUID, wanted_key TEXT, most_at_once INTEGER, due TIMESTAMPTZ, most_runs INTEGER
) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE holder UUID;
BEGIN
  PERFORM admit_turns(wanted_key, most_runs);
  INSERT INTO turn (run_id, key, most, due_at, is_admitted)
    SELECT wanted_run, wanted_key, most_at_once, due, true
    WHERE (SELECT count(*) FROM turn WHERE key = wanted_key AND (is_admitted OR due_at <= clock_timestamp()))
      < most_at_once;
  IF FOUND THEN RETURN; END IF;
  SELECT run_id INTO holder FROM turn
    WHERE key = wanted_key AND (is_admitted OR due_at <= clock_timestamp()) ORDER BY due_at, run_id LIMIT 1;
  RAISE EXCEPTION 'the concurrency limit is reached' USING ERRCODE = 'BT001', DETAIL = coalesce(holder, wanted_run)::text;
END $$;
