import { isoInstant } from '../../kernel/clock';
import type { ControlRoute } from './route';

/** Answers as soon as everything is deployed and requests are served. */
export const HEALTH_ROUTE: ControlRoute = {
  GET: ({ clock }) => ({ status: 'ok', now: isoInstant(clock.nowMs) }),
};
