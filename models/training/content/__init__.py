"""The branch of the encoder that tells what a sentence tells of the driver: special kinds of data, lasting preferences."""
