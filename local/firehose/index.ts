export { firehoseResourceTypes } from './resources';
