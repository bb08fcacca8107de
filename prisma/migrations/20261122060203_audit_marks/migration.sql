-- AlterTable
ALTER TABLE "run_event" ADD COLUMN     "mark" BYTEA;

-- AlterTable
ALTER TABLE "audit_entry" ADD COLUMN     "mark" BYTEA;

-- AlterTable
ALTER TABLE "seal" ADD COLUMN     "key" TEXT,
ADD COLUMN     "signature" BYTEA;

-- CreateTable
CREATE TABLE "mark_start" (
    "run_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "head" BYTEA NOT NULL,
    "mark" BYTEA NOT NULL,

    CONSTRAINT "mark_start_pkey" PRIMARY KEY ("run_id","key")
);

-- What Prisma's language cannot say follows.

-- The one way by which journals go. It takes runs that are over and sealed, and nothing else. Where the installation may
-- make roles it belongs to one of its own (libs/store/src/retention/guardRemoval.ts): then whoever else deletes is refused.
CREATE FUNCTION remove_journals(ids UUID[]) RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  seals INT[];
  events BIGINT;
BEGIN
  IF EXISTS (
    SELECT FROM unnest(ids) AS wanted (id) WHERE NOT EXISTS (
      SELECT FROM "run" JOIN "sealed_run" ON "run_id" = "run"."id" WHERE "run"."id" = wanted.id AND "ended_at" IS NOT NULL)
  ) THEN
    RAISE EXCEPTION 'a journal is removed when its run is over and sealed' USING ERRCODE = 'restrict_violation';
  END IF;
  SELECT coalesce(array_agg(DISTINCT "seal"), '{}') INTO seals FROM "sealed_run" WHERE "run_id" = ANY (ids);
  DELETE FROM "run_event" WHERE "run_id" = ANY (ids);
  GET DIAGNOSTICS events = ROW_COUNT;
  DELETE FROM "run" WHERE "id" = ANY (ids);
  -- Where nothing is left of what a seal vouches for, its own hash is enough.
  DELETE FROM "sealed_run" WHERE "seal" = ANY (seals) AND NOT EXISTS (
    SELECT FROM "sealed_run" AS other JOIN "run" ON "run"."id" = other."run_id" WHERE other."seal" = "sealed_run"."seal");
  RETURN events;
END $$;

CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  remover TEXT;
BEGIN
  IF TG_OP = 'DELETE' AND TG_TABLE_NAME IN ('run_event', 'sealed_run') THEN
    SELECT pg_get_userbyid(proowner) INTO remover FROM pg_proc
      WHERE proname = 'remove_journals' AND pronamespace = (SELECT relnamespace FROM pg_class WHERE oid = TG_RELID);
    IF remover <> (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = TG_RELID) THEN
      IF current_user = remover THEN RETURN NULL; END IF;
    -- There is no role of its own: a setting is better than nothing against mistakes, and nothing against intent.
    ELSIF current_setting('baton.removing', true) = 'on' THEN
      RETURN NULL;
    END IF;
  END IF;
  RAISE EXCEPTION '% is append only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "mark_start" EXECUTE FUNCTION append_only();
REVOKE UPDATE, DELETE, TRUNCATE ON "mark_start" FROM PUBLIC;
