/**
 * What a replayed event ends with: white space, which is no part of what JSON says, so that a function that reads its event
 * sees the very same one.
 *
 * A function that fails again has Lambda put the event into the function's dead-letter queue byte for byte, and with it the
 * mark: nothing has to be remembered for a letter to be known that had its replay, whichever invocation meets it, and however
 * much later. A recording of AWS shows as much: of the event `{"raise_error": 1}`, blank included, the dead letter's MD5 is
 * `ba08269cbd0ce515889bfba6593731e1`. Were it ever to be lost, an invocation still knows the requests it has made itself.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html#invocation-dlq
 * @see https://www.rfc-editor.org/rfc/rfc8259#section-2
 */
const REPLAY_MARK = '\n\t \t\t \t';

/** Whether an event was replayed before. */
export function isReplayed(body: string): boolean {
  return body.endsWith(REPLAY_MARK);
}

export function withReplayMark(event: string): string {
  return isReplayed(event) ? event : `${event}${REPLAY_MARK}`;
}

/** As it was: whoever moves it back by hand gives it another replay. */
export function withoutReplayMark(event: string): string {
  return isReplayed(event) ? event.slice(0, -REPLAY_MARK.length) : event;
}
