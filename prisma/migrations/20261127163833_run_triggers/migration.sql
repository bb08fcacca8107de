-- CreateTable
CREATE TABLE "run_cursor" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "position" TEXT NOT NULL,

    CONSTRAINT "run_cursor_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run_streak" (
    "trigger" TEXT NOT NULL,
    "workflow" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "run_streak_pkey" PRIMARY KEY ("trigger","workflow")
);
