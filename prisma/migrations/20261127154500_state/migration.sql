-- CreateTable
CREATE TABLE "state_value" (
    "workflow" TEXT NOT NULL,
    "is_inline" BOOLEAN NOT NULL,
    "key" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "value" JSON NOT NULL,
    "bytes" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "by" TEXT NOT NULL,
    "run_id" UUID,

    CONSTRAINT "state_value_pkey" PRIMARY KEY ("workflow","is_inline","key","revision")
);
