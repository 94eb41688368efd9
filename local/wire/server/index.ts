export { Control } from '../control/control';
export { WireServer } from './server';
export { type Speed, TimeDriver } from './time-driver';
