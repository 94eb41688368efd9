import { ADVANCE_ROUTE } from './advance';
import { CONFIRM_ROUTE } from './confirm';
import { ENDPOINTS_ROUTE } from './endpoints';
import { FAULTS_ROUTE } from './faults';
import { HEALTH_ROUTE } from './health';
import type { ControlRoute } from './route';
import { STATE_ROUTE } from './state';
import { TRACE_ROUTE } from './trace';

/** By what follows `/_dlo/`. */
export const CONTROL_ROUTES: Readonly<Record<string, ControlRoute>> = {
  advance: ADVANCE_ROUTE,
  confirm: CONFIRM_ROUTE,
  endpoints: ENDPOINTS_ROUTE,
  faults: FAULTS_ROUTE,
  health: HEALTH_ROUTE,
  state: STATE_ROUTE,
  trace: TRACE_ROUTE,
};
