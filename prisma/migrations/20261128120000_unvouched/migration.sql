-- When the issuer of a person stopped vouching for them: until they log in again, no call uses their logins at servers.
-- AlterTable
ALTER TABLE "person" ADD COLUMN     "unvouched_at" TIMESTAMPTZ(3);
