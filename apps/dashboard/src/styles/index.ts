/** All styles and fonts of the first load, in the order in which they apply. */
import '@fontsource-variable/inter/index.css';
import '@fontsource-variable/jetbrains-mono/index.css';
import './tokens.css';
import './base.css';
import './controls.css';
import './table.css';
import './shell.css';
import './json.css';
