import type { ControlRoute } from './route';

export const STATE_ROUTE: ControlRoute = { GET: (world, { reachedAt }) => world.state(reachedAt) };
