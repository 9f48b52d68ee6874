"""Finding copies: pictures that repeat another picture's patches, wherever these lie and however they were changed."""
