-- CreateTable
CREATE TABLE "blob_use" (
    "sha256" BYTEA NOT NULL,
    "run_id" UUID NOT NULL,

    CONSTRAINT "blob_use_pkey" PRIMARY KEY ("sha256","run_id")
);

-- CreateIndex
CREATE INDEX "blob_use_run_id_idx" ON "blob_use"("run_id");

-- CreateIndex
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key"("created_at");

-- CreateIndex
CREATE INDEX "firing_instant_idx" ON "firing"("instant");

-- What Prisma's language cannot say follows.

-- What there is already: events name values by their digests.
INSERT INTO "blob_use" ("sha256", "run_id")
SELECT DISTINCT decode(found[1], 'hex'), "run_id"
FROM "run_event" CROSS JOIN regexp_matches("data"::text, '"sha256":"([0-9a-f]{64})"', 'g') AS found
WHERE "data"::text LIKE '%"sha256":"%' AND EXISTS (SELECT FROM "blob" WHERE "sha256" = decode(found[1], 'hex'));

-- Retention may remove whole journals, and says so in the audit: see libs/store/src/retention. Nobody else deletes, and
-- nobody changes anything.
CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND TG_TABLE_NAME IN ('run_event', 'sealed_run') AND current_setting('baton.removing', true) = 'on' THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION '% is append only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
