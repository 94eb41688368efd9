import type { EventsAction } from '../events-actions';
import { setEnabled } from './set-enabled';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_EnableRule.html */
export const enableRule: EventsAction<'EnableRule'> = {
  permission: 'events:EnableRule',
  resourceOf: (internals, { Name, EventBusName }) => internals.ruleAt(Name, EventBusName),
  run: (internals, { input: { Name = '', EventBusName } }) =>
    setEnabled(internals, internals.buses.rule(Name, EventBusName), true),
};
