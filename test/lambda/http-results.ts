import type { HttpAnswer, NoAnswer } from '../../lambda/shared/http-send';

/** The result of an HTTP request with an answer. */
export function answered(statusCode: number, body = ''): HttpAnswer {
  return { kind: 'answered', statusCode, headers: {}, body, requests: 1 };
}

/** The result of an HTTP request without an answer. */
export function unanswered(cause: Error): NoAnswer {
  return { kind: 'unanswered', failure: 'connection-reset', cause, requests: 1 };
}
