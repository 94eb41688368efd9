import { testConservation } from './conservation';

testConservation(30, 10);
