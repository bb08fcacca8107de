/** The words of a text as a search compares them: without endings, and with words of the same meaning. */

/** Words that say nothing about what a tool does. */
const stopWords = new Set(
  'a an the of to in on at by for from with and or is are be this that there which what how it its my me i you your as into do does can want need please some any'.split(
    ' ',
  ),
);

/** Words of each line mean the same, for tools. */
const sameMeaning = `
send post publish submit notify
read get fetch retrieve show view load see extract scrape
list all enumerate exist
many count number amount
create make new add open init
store save write insert put set keep persist append
delete remove drop erase clear destroy uninstall
update change edit modify replace patch alter write
find search look lookup query discover
move rename
copy clone duplicate fork
run execute start launch call invoke evaluate
stop cancel close end
reply answer respond
press click tap
type enter fill input
fill write
upload push
download pull fetch
go visit navigate browse open
folder directory
page website site url web
internet web online
picture image photo screenshot
row record document entry item
value row document
erase delete
spreadsheet sheet workbook excel table
column schema field
database sql db
repository repo project
pull merge
bug issue ticket defect
note observation memo text file
person user people member who author
wrote author
diff difference change
headline news article
route direction
latitude longitude coordinate geographic
restaurant hotel shop place
nearby local place
disk file
container pod
sum add plus
react reaction
`
  .trim()
  .split('\n')
  .map((line) => line.split(' ').map(stemOf));

const meanings: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  sameMeaning
    .flat()
    .map((word) => [word, new Set(sameMeaning.filter((group) => group.includes(word)).flat())] as const),
);

const nothing: ReadonlySet<string> = new Set<string>();

/** Other words that mean the same as the word. */
export const synonymsOf = (word: string): ReadonlySet<string> => meanings.get(word) ?? nothing;

/** In their order, each as a stem; without words that say nothing. */
export const stemsIn = (text: string): readonly string[] =>
  text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && !stopWords.has(word))
    .map(stemOf);

/** The word without the ending of a plural or of a verb: `queries`, `queried` and `query` are one. */
function stemOf(word: string): string {
  if (word.length < 4) return word;
  const singular = word.replace(/ies$|ied$/, 'y').replace(/(?<=[^s])s$/, '');
  const bare = singular.length > 4 ? singular.replace(/(?:ing|ed|(?<=[ts])ion)$/, '') : singular;
  return bare.replace(/e$/, '').replace(/([^aeiouls])\1$/, '$1');
}
