import { isoInstant } from '../../kernel/clock';
import { isObject } from '../../kernel/json';
import { InvalidInput, MemberReader } from '../../kernel/member-reader';
import { awsError } from '../unsimulated/answer';
import type { AnswerOptions } from '../unsimulated/other-service';
import { type ControlRoute, parsedBody, THE_BODY } from './route';

/**
 * `PUT`: sets how a service that is not simulated answers, in place of what was set before. `DELETE`: it answers 501
 * again, and its calls are forgotten. `GET`: returns the calls that it answered.
 */
export const SERVICES_ROUTE: ControlRoute = {
  PUT: ({ services }, { rest, body }) => {
    const service = services.service(rest);
    const reader = new MemberReader(parsedBody(body), THE_BODY);
    const forwardTo = reader.text('forwardTo');
    const answers = reader.optional('answers', 'must be an object of operations', isObject) ?? {};
    const scripted = Object.entries(answers).map(
      ([name, given]) => [name, scriptedAnswer(name, given, reader)] as const,
    );
    reader.check();
    service.reset();
    if (forwardTo !== undefined) service.forwardTo(forwardTo);
    for (const [operation, { reply, options }] of scripted) service.answer(operation, reply, options);
    return { service: service.name, answers: Object.keys(answers), ...(forwardTo !== undefined && { forwardTo }) };
  },
  DELETE: ({ services }, { rest }) => {
    const service = services.service(rest);
    service.reset();
    return { service: service.name, answers: [] };
  },
  GET: ({ services }, { rest }) => {
    const { name, calls } = services.service(rest);
    return { service: name, calls: calls.map(call => ({ ...call, at: isoInstant(call.atMs) })) };
  },
};

/** An answer: `{"output":{…}}`, or `{"error":{"name":"…","message":"…","status":400}}`. */
function scriptedAnswer(
  operation: string,
  given: unknown,
  problems: MemberReader,
): { readonly reply: object; readonly options: AnswerOptions } {
  const path = `answers.${operation}`;
  const reader = new MemberReader(given, path, `${path}.`);
  const output = reader.optional('output', 'must be an object', isObject);
  const latencyMs = reader.number('latencyMs', 0, Number.MAX_SAFE_INTEGER) ?? 0;
  const error = reader.optional('error', 'must be an object', isObject);
  const ofError = new MemberReader(error ?? {}, `${path}.error`, `${path}.error.`);
  const name = ofError.text('name');
  const message = ofError.text('message');
  const status = ofError.wholeNumber('status', 400, 599);
  if (error && name === undefined) ofError.refuse('name', 'is required', undefined);
  for (const { property, rule, value } of [...reader.allProblems(), ...ofError.allProblems()]) {
    problems.refuse(property, rule, value);
  }
  const fail = (): never => {
    throw awsError(name ?? '', message, status);
  };
  return { reply: error ? fail : (output ?? {}), options: { latencyMs } };
}

const EMITTED = ['s3', 'kinesis', 'dynamoDb', 'event'] as const;

/**
 * `POST`: emits an event that a service would send: `{"s3":{…}}`, `{"kinesis":{…}}`, `{"dynamoDb":{…}}` or `{"event":{…}}`. It
 * answers where the event goes, or the sequence numbers of the records.
 */
export const EMIT_ROUTE: ControlRoute = {
  POST: ({ emit }, { body }) => {
    const given = parsedBody(body);
    const reader = new MemberReader(given, THE_BODY);
    const kinds = EMITTED.filter(kind => reader.optional(kind, 'must be an object', isObject));
    const [kind, ...others] = kinds;
    if (!kind || others.length > 0) {
      throw new InvalidInput([
        { property: THE_BODY, rule: `must have exactly one of ${EMITTED.join(', ')}`, value: given },
      ]);
    }
    reader.check();
    // The emitter itself checks what it gets.
    const input = reader.given(kind) as never;
    return { emitted: kind, to: emit[kind](input) ?? [] };
  },
};
