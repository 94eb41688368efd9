import type { HttpAnswer, NoAnswer } from '../../lambda/shared/http-send';

/** What a request over HTTP ends with where the other side answers. */
export function answered(statusCode: number, body = ''): HttpAnswer {
  return { kind: 'answered', statusCode, headers: {}, body, requests: 1 };
}

/** And where it does not. */
export function unanswered(cause: Error): NoAnswer {
  return { kind: 'unanswered', failure: 'connection-reset', cause, requests: 1 };
}
