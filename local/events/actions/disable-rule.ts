import type { EventsAction } from '../events-actions';
import { setEnabled } from './set-enabled';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DisableRule.html */
export const disableRule: EventsAction<'DisableRule'> = {
  permission: 'events:DisableRule',
  resourceOf: (internals, { Name, EventBusName }) => internals.ruleAt(Name, EventBusName),
  run: (internals, { input: { Name = '', EventBusName } }) =>
    setEnabled(internals, internals.buses.rule(Name, EventBusName), false),
};
