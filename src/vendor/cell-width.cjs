"use strict";

// CommonJS, as the build gives it to cli-table3 in place of its own old string-width, which miscounts newer
// emoji and some scripts.

/** Latin, Greek and Cyrillic letters and common punctuation. The Unicode tables cost some 40 ms to load. */
const singleColumns =
  /^[ -~\u00a0-\u00ac\u00ae-\u02af\u0388-\u0481\u048a-\u052f\u1e00-\u1eff\u2013\u2014\u2018-\u201e\u2026]*$/;

// What string-width leaves out: the AM vowels of Thai and Lao, which take a column of their own after
// the letter that they join; the soft hyphen, which terminals show; and the Arabic and Syriac signs
// that enclose a number or word.
const missedByStringWidth =
  /(?<=[^])[\u0e33\u0eb3]|[\u00ad\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]/g;

/** A longer text is not measured, as that would take seconds: it fits no terminal anyway. */
const maxMeasured = 10_000;

/**
 * Returns the columns that `text` takes on a terminal: wide characters and emoji, joined ones and flags too,
 * take two, combining marks none (Unicode UAX #11, UTS #51).
 */
function textWidth(text) {
  if (text.length > maxMeasured || singleColumns.test(text)) return text.length;
  const { default: stringWidth } = require("string-width");
  const missed = text.match(missedByStringWidth)?.length ?? 0;
  return stringWidth(text, { countAnsiEscapeCodes: true }) + missed;
}

module.exports = textWidth;
