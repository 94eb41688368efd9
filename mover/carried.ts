/**
 * Letters that lie among the dead ones although the destination has them, or may have: by their SQS ids. Who keeps it from one
 * stint to the next sends none of them twice.
 */
export class MovedBefore {
  /** The destination, or the quarantine, has them: why SQS did not delete them. */
  readonly undeleted = new Map<string, string>();
  /** The destination may have them: what came in place of an answer. */
  readonly unsure = new Map<string, string>();
}

/** What is said of a letter that is there still although it was moved. It completes a sentence that begins with the letter. */
export function undeletedText(reason: string): string {
  return `was moved, and not deleted: ${reason}`;
}

/** What is said of a letter that was sent, and nobody has answered. */
export function unsureText(reason: string): string {
  return `may have been moved, and was not deleted: ${reason}`;
}
