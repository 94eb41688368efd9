export { Control } from '../control/control';
export { WireServer } from './server';
export { type Journey, type Speed, TimeDriver } from './time-driver';
