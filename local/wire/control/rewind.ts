import { InvalidInput, MemberReader } from '../../kernel/member-reader';
import { type ControlledSimulation, type ControlRoute, parsedBody, type Rewind, THE_BODY } from './route';

function rewindOf({ rewind }: ControlledSimulation): Rewind {
  if (rewind) return rewind;
  const rule = 'cannot return to an earlier point: call listen({ rewindable: true }), as dlo local does';
  throw new InvalidInput([{ property: 'this server', rule, value: undefined }]);
}

/** `POST`: remembers this point of the run. `GET`: the names of the remembered points. */
export const SNAPSHOT_ROUTE: ControlRoute = {
  POST: simulation => rewindOf(simulation).take(),
  GET: simulation => ({ snapshots: rewindOf(simulation).names() }),
};

/**
 * `POST {"snapshot":"snapshot-1"}`: begins again from the same assembly and seed, and repeats every request until that
 * point.
 */
export const RESTORE_ROUTE: ControlRoute = {
  POST: async (simulation, { body, reachedAt }) => {
    const rewind = rewindOf(simulation);
    const reader = new MemberReader(parsedBody(body), THE_BODY);
    const names = rewind.names();
    const rule = `must be a snapshot: there are ${names.join(', ') || 'none'}`;
    const snapshot = reader.optional('snapshot', rule, (it): it is string => names.includes(String(it)));
    if (!reader.has('snapshot')) reader.refuse('snapshot', rule, undefined);
    reader.check();
    return rewind.restore(snapshot, reachedAt);
  },
};

/** `POST`: begins again from the same assembly and seed, without any request. */
export const RESET_ROUTE: ControlRoute = {
  POST: (simulation, { reachedAt }) => rewindOf(simulation).restore(undefined, reachedAt),
};
