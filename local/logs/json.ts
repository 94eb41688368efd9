/** The JSON document a text is, if it is one. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A line of plain text among JSON documents: nobody can find anything in it.
    return undefined;
  }
}
