-- AlterTable
ALTER TABLE "workflow" ADD COLUMN     "scheduled" INTEGER;

-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "effects" TEXT,
ADD COLUMN     "workflows" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "secret" (
    "name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "sealed" BYTEA NOT NULL,
    "wrapped" BYTEA NOT NULL,
    "key_id" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "secret_pkey" PRIMARY KEY ("name","version")
);

-- CreateTable
CREATE TABLE "schedule" (
    "id" TEXT NOT NULL,
    "workflow" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "trigger" TEXT NOT NULL,
    "cron" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "overlap" TEXT NOT NULL,
    "catch_up" TEXT NOT NULL,
    "catch_up_window_ms" BIGINT NOT NULL,
    "next_at" TIMESTAMPTZ(3),
    "paused_at" TIMESTAMPTZ(3),
    "paused_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "schedule_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "firing" (
    "schedule" TEXT NOT NULL,
    "instant" TIMESTAMPTZ(3) NOT NULL,
    "outcome" TEXT NOT NULL,
    "reason" TEXT,
    "run_id" UUID,
    "cause" TEXT NOT NULL,
    "by" TEXT NOT NULL,

    CONSTRAINT "firing_pkey" PRIMARY KEY ("schedule","instant")
);

-- CreateTable
CREATE TABLE "callback" (
    "run_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "callback_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "seq" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "by" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "detail" JSON NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("seq")
);

-- CreateTable
CREATE TABLE "seal" (
    "number" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "runs" INTEGER NOT NULL,
    "root" BYTEA NOT NULL,
    "entries" INTEGER NOT NULL,
    "entry_hash" BYTEA NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "seal_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "sealed_run" (
    "run_id" UUID NOT NULL,
    "seal" INTEGER NOT NULL,
    "place" INTEGER NOT NULL,
    "seq" INTEGER NOT NULL,
    "head" BYTEA NOT NULL,

    CONSTRAINT "sealed_run_pkey" PRIMARY KEY ("run_id")
);

-- CreateIndex
CREATE INDEX "schedule_due" ON "schedule"("next_at") WHERE (next_at IS NOT NULL AND paused_at IS NULL);

-- CreateIndex
CREATE INDEX "schedule_workflow_idx" ON "schedule"("workflow");

-- CreateIndex
CREATE INDEX "firing_queued" ON "firing"("schedule", "instant") WHERE (outcome = 'queued');

-- CreateIndex
CREATE INDEX "callback_pending" ON "callback"("run_id") WHERE (status = 'pending');

-- CreateIndex
CREATE INDEX "audit_entry_action_seq_idx" ON "audit_entry"("action", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "sealed_run_seal_place_key" ON "sealed_run"("seal", "place");

-- CreateIndex
CREATE INDEX "run_ended_at" ON "run" USING BRIN ("ended_at");

-- What Prisma's language cannot say follows.

-- The journal, and what vouches for it, only ever grows. Who may do without the triggers (the owner of the tables, who can
-- disable them) is found out by `audit verify`.
CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "run_event" EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_entry" EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "seal" EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "sealed_run" EXECUTE FUNCTION append_only();

REVOKE UPDATE, DELETE, TRUNCATE ON "run_event", "audit_entry", "seal", "sealed_run" FROM PUBLIC;
