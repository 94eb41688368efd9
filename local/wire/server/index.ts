export { Control } from '../control/control';
export { WireServer } from './server';
export { type Speed, type TimeAdvance, TimeDriver } from './time-driver';
