"use strict";

// CommonJS, as the build gives it to cli-table3 in place of its own old string-width, which miscounts newer emoji and
// some scripts. Newer ones test `\p{RGI_Emoji}` and segment each text, which takes 100 ms of a process.

/** Latin, Greek and Cyrillic letters and common punctuation, which need none of the tables below. */
const singleColumns =
  /^[ -~\u00a0-\u00ac\u00ae-\u02af\u0388-\u0481\u048a-\u052f\u1e00-\u1eff\u2013\u2014\u2018-\u201e\u2026]*$/;

/** Flags, and emoji that are not shown as text, with what is joined to them (UTS #51). */
const emoji =
  /\p{RI}{2}|(?:\p{Emoji}[\uFE0F\p{EMod}]|\p{EPres}|\p{ExtPict}(?=\u200D))(?:\u200D\p{ExtPict}[\uFE0F\p{EMod}]?)*/gu;

// Without the soft hyphen, and the Arabic and Syriac signs that enclose a number or word: terminals show them.
const invisible =
  /[[\p{DI}\p{Mn}\p{Me}\p{Cf}]--[\u00ad\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]]/gv;

/** A longer text is not measured, as that would take seconds: it fits no terminal anyway. */
const maxMeasured = 10_000;

/**
 * Returns the columns that `text` takes on a terminal: wide characters and emoji, joined ones and flags too,
 * take two, combining marks none (Unicode UAX #11, UTS #51).
 */
function textWidth(text) {
  if (text.length > maxMeasured || singleColumns.test(text)) return text.length;
  const { eastAsianWidth } = require("get-east-asian-width");
  const shown = text
    // The letters of a Hangul syllable take the columns of one character.
    .replace(/[\u1100-\u11ff]+/g, (letters) => letters.normalize())
    .replace(emoji, "\u3000")
    .replace(invisible, "");
  let width = 0;
  for (const character of shown) width += eastAsianWidth(character.codePointAt(0));
  return width;
}

module.exports = textWidth;
