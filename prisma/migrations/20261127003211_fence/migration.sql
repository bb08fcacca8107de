-- CreateTable
CREATE TABLE "fence" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "cause" TEXT NOT NULL,
    "from_at" BIGINT NOT NULL,
    "to_at" BIGINT NOT NULL,
    "message" TEXT NOT NULL,

    CONSTRAINT "fence_pkey" PRIMARY KEY ("id")
);
