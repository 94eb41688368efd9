export { ec2ResourceTypes } from './resources';
