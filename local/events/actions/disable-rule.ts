import type { EventsAction } from '../events-actions';
import { setEnabled } from './set-enabled';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_DisableRule.html */
export const disableRule: EventsAction<'DisableRule'> = {
  permission: 'events:DisableRule',
  resourceOf: (desk, { Name, EventBusName }) => desk.ruleAt(Name, EventBusName),
  run: (desk, { input: { Name = '', EventBusName } }) => setEnabled(desk, desk.buses.rule(Name, EventBusName), false),
};
