import type { ControlRoute } from './route';

export const STATE_ROUTE: ControlRoute = { GET: world => world.state() };
