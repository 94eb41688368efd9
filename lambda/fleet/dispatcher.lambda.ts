import { flushingLog } from '../shared/log';
import { dispatcherHandler } from './dispatcher';
import { fleetFunction } from './fleet-function';

const ports = fleetFunction(setImmediate);

export const handler = flushingLog(ports.lines, dispatcherHandler(ports));
