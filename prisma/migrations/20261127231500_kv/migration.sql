-- CreateTable
CREATE TABLE "kv_value" (
    "project" TEXT NOT NULL,
    "is_inline" BOOLEAN NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "value" JSON NOT NULL,
    "bytes" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "by" TEXT NOT NULL,

    CONSTRAINT "kv_value_pkey" PRIMARY KEY ("project","is_inline","key")
);
