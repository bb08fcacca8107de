-- AlterTable
ALTER TABLE "api_key" ADD COLUMN     "person_id" TEXT;

-- AlterTable
ALTER TABLE "login_session" ADD COLUMN     "refresh" BYTEA,
ADD COLUMN     "vouched_until" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "person" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "issuer" TEXT,
    "subject" TEXT,
    "grants" JSONB NOT NULL DEFAULT '[]',
    "claimed" JSONB NOT NULL DEFAULT '[]',
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removed_at" TIMESTAMPTZ(3),
    "seen_at" TIMESTAMPTZ(3),

    CONSTRAINT "person_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "person_issuer_subject_key" ON "person"("issuer", "subject");

-- CreateIndex
CREATE INDEX "api_key_person_id_idx" ON "api_key"("person_id");
