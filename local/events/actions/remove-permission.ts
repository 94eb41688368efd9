import { resourceNotFound, validationException } from '../errors';
import type { EventsAction } from '../events-actions';

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_RemovePermission.html */
export const removePermission: EventsAction<'RemovePermission'> = {
  permission: 'events:RemovePermission',
  resourceOf: (internals, { EventBusName }) => internals.busAt(EventBusName),
  run: ({ buses, nowMs }, { input: { StatementId, RemoveAllPermissions = false, EventBusName } }) => {
    const bus = buses.get(EventBusName);
    bus.modifiedAtMs = nowMs;
    if (RemoveAllPermissions) {
      bus.statements.clear();
      return {};
    }
    if (StatementId === undefined) throw validationException('Parameter StatementId is required.');
    if (!bus.statements.delete(StatementId)) throw resourceNotFound('Statement with the provided id does not exist.');
    return {};
  },
};
