import { randomRequests } from './random-requests';

randomRequests(1);
