-- CreateTable
CREATE TABLE "call_meter" (
    "name" TEXT NOT NULL,
    "full_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "call_meter_pkey" PRIMARY KEY ("name")
);

-- Takes the next turn of a meter, by the clock of Postgres: the generic cell rate algorithm. `within_ms`: a turn that is
-- further away is not taken; null: any is. `full_at` is when the bucket is full again.
CREATE FUNCTION take_call_turn(meter text, server text, every_ms float8, burst integer, within_ms float8,
  OUT is_taken boolean, OUT wait_ms float8) LANGUAGE plpgsql AS $$
DECLARE
  begins timestamptz;
  was timestamptz;
  now_at timestamptz;
  every interval := every_ms * interval '1 ms';
BEGIN
  INSERT INTO call_meter (name, full_at) VALUES (meter, '-infinity')
    ON CONFLICT (name) DO UPDATE SET full_at = call_meter.full_at RETURNING full_at INTO was;
  -- After the lock: others have taken their turns meanwhile.
  now_at := clock_timestamp();
  SELECT greatest(now_at, max(full_at)) INTO begins FROM call_meter WHERE name = 'pause ' || server;
  was := greatest(was, begins);
  wait_ms := extract(epoch FROM greatest(begins, was - (burst - 1) * every) - now_at) * 1000;
  is_taken := within_ms IS NULL OR wait_ms <= within_ms;
  IF is_taken THEN UPDATE call_meter SET full_at = was + every WHERE name = meter; END IF;
END $$;
