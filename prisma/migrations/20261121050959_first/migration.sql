-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "workflow" (
    "id" TEXT NOT NULL,
    "title" TEXT,
    "description" TEXT,
    "latest" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deployed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "workflow_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow_version" (
    "workflow_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "digest" TEXT NOT NULL,
    "findings" JSON NOT NULL,
    "pins" JSON NOT NULL,
    "deployed_by" TEXT NOT NULL,
    "deployed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_version_pkey" PRIMARY KEY ("workflow_id","version")
);

-- CreateTable
CREATE TABLE "definition" (
    "digest" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "definition_pkey" PRIMARY KEY ("digest")
);

-- CreateTable
CREATE TABLE "run" (
    "id" UUID NOT NULL,
    "workflow" TEXT NOT NULL,
    "version" INTEGER,
    "definition" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "trigger_kind" TEXT NOT NULL,
    "trigger_detail" JSON,
    "by" TEXT NOT NULL,
    "tags" TEXT[],
    "priority" INTEGER NOT NULL,
    "depth" SMALLINT NOT NULL,
    "inputs" JSON NOT NULL,
    "outputs" JSON,
    "failure" JSON,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "wake_at" TIMESTAMPTZ(3),
    "worker" TEXT,
    "is_cancelling" BOOLEAN NOT NULL DEFAULT false,
    "is_unsuccessful" BOOLEAN NOT NULL DEFAULT false,
    "questions" INTEGER NOT NULL DEFAULT 0,
    "parent_run_id" UUID,
    "parent_path" TEXT,
    "parent_attempt" INTEGER,
    "rerun_of" UUID,

    CONSTRAINT "run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run_event" (
    "run_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSON NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "run_event_pkey" PRIMARY KEY ("run_id","seq")
);

-- CreateTable
CREATE TABLE "blob" (
    "sha256" BYTEA NOT NULL,
    "text" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "blob_pkey" PRIMARY KEY ("sha256")
);

-- CreateTable
CREATE TABLE "idempotency_key" (
    "scope" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "run_id" UUID NOT NULL,
    "digest" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("scope","key")
);

-- CreateTable
CREATE TABLE "worker" (
    "id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "version" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL,
    "is_draining" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "worker_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "scopes" TEXT[],
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "run_workflow" ON "run"("workflow", "id");

-- CreateIndex
CREATE INDEX "run_trigger" ON "run"("trigger_kind", "id") WHERE (trigger_kind <> 'api');

-- CreateIndex
CREATE INDEX "run_unfinished" ON "run"("id") WHERE (ended_at IS NULL);

-- CreateIndex
CREATE INDEX "run_unsuccessful" ON "run"("id") WHERE (is_unsuccessful);

-- CreateIndex
CREATE INDEX "run_cancelling" ON "run"("id") WHERE (is_cancelling);

-- CreateIndex
CREATE INDEX "run_asking" ON "run"("id") WHERE (questions > 0);

-- CreateIndex
CREATE INDEX "run_wake_at" ON "run"("wake_at") WHERE (wake_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "run_tags" ON "run" USING GIN ("tags") WHERE (tags <> '{}'::text[]);

-- CreateIndex
CREATE UNIQUE INDEX "run_parent" ON "run"("parent_run_id", "parent_path", "parent_attempt") WHERE (parent_run_id IS NOT NULL);

-- AddForeignKey
ALTER TABLE "workflow_version" ADD CONSTRAINT "workflow_version_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflow"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_version" ADD CONSTRAINT "workflow_version_digest_fkey" FOREIGN KEY ("digest") REFERENCES "definition"("digest") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma's language cannot say follows.

-- Half of each page stays free, so that claiming a run can write the new row beside the old one (HOT).
ALTER TABLE "run" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
