-- CreateTable
CREATE TABLE "turn" (
    "run_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "most" INTEGER NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "is_admitted" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "turn_pkey" PRIMARY KEY ("run_id")
);

-- CreateIndex
CREATE INDEX "turn_key_due_at_run_id_idx" ON "turn"("key", "due_at", "run_id");
