/** Contents of environment files that systemd and the command line read alike, with the variables that they define. */
export const plainFiles: ReadonlyArray<readonly [text: string, values: Readonly<Record<string, string>>]> = [
  ['ONE=two', { ONE: 'two' }],
  ['', {}],
  ['\n \t\n# note\n  ; note = "open\nONE=two\n', { ONE: 'two' }],
  [' ONE = two \t\r\nTHREE\t=\tfour\r\n', { ONE: 'two', THREE: 'four' }],
  ['ONE=two\rTHREE=four', { ONE: 'two', THREE: 'four' }],
  ['ONE=\nTHREE=""\n_5=\'\'', { ONE: '', THREE: '', _5: '' }],
  ['ONE=two  three\nFOUR="  five "', { ONE: 'two  three', FOUR: '  five ' }],
  ['ONE=two\nONE=three', { ONE: 'three' }],
  ['ONE=two#three\nFOUR="five # six"', { ONE: 'two#three', FOUR: 'five # six' }],
  [`ONE='"\`\\# $two'\nTHREE="it's $four \`five\`"`, { ONE: '"`\\# $two', THREE: "it's $four `five`" }],
  ['ONE=$two%h;three==four', { ONE: '$two%h;three==four' }],
  [
    'ONE=\u00a0two\u00a0\nTHREE=\u000bfour\u000b\nFIVE=ü🐈',
    { ONE: '\u00a0two\u00a0', THREE: '\u000bfour\u000b', FIVE: 'ü🐈' },
  ],
];

/**
 * Contents of environment files with one ambiguous line, and the number of the line. systemd ignores a part of the line
 * or reads it differently from other programs.
 */
export const ambiguousFiles: ReadonlyArray<readonly [text: string, line: number]> = [
  ['ONE=two # three', 1],
  ['ONE=two\t# three', 1],
  ['\n\nONE=#two', 3],
  ['ONE="two" # three', 1],
  ["ONE='two'# three", 1],
  ['ONE="two"three', 1],
  ["ONE='two''three'", 1],
  ['ONE=two"three"', 1],
  ["ONE=it's", 1],
  ['ONE=`two`', 1],
  ['ONE=two\\three', 1],
  ['ONE="two\\three"', 1],
  ['ONE=two\\\nTHREE=four', 1],
  ['# note \\\nONE=two', 1],
  ['export ONE=two', 1],
  ['ONE', 1],
  ['ONE=two\nTHREE four', 2],
  ['ONE-TWO=three', 1],
  ['1ONE=two', 1],
  ['=two', 1],
  ['ONE="two', 1],
  ['ONE="two\nthree"', 1],
];
