/** House rules that a machine can check, by subject. */
import './tidy/docs.ts';
import './tidy/files.ts';
import './tidy/floors.ts';
import './tidy/folders.ts';
import './tidy/installed.ts';
import './tidy/rooms.ts';
import './tidy/timeAndState.ts';
import './tidy/verbs.ts';
