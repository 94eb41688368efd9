import { isObject, type JsonObject } from '../../kernel/json';
import { eventsConstraints, validationException } from '../constraints';
import { compiledPattern } from '../event-bus';
import type { EventsAction } from './events-action';

/** The required members of an event. Recorded on AWS: resources and detail are optional. */
const REQUIRED = ['id', 'account', 'source', 'time', 'region', 'detail-type'];

function readEvent(text: string): JsonObject {
  try {
    const event: unknown = JSON.parse(text);
    if (isObject(event) && REQUIRED.every(name => Object.hasOwn(event, name))) return event;
  } catch {
    // AWS answers the same for invalid JSON and for a JSON value that is not an event.
  }
  throw validationException('Parameter Event is not valid.');
}

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_TestEventPattern.html */
export const testEventPattern: EventsAction<'TestEventPattern'> = {
  permission: 'events:TestEventPattern',
  resourceOf: () => ({ arn: '*' }),
  run: (_state, { input: { EventPattern, Event } }) => {
    eventsConstraints()
      .notNull('eventPattern', EventPattern)
      .length('eventPattern', EventPattern, 0, 4096)
      .notNull('event', Event)
      .check();
    const matches = compiledPattern(EventPattern ?? '');
    return { Result: matches(readEvent(Event ?? '')) };
  },
};
