"""Conversation to image: a prompt is written from the talk about a picture, and drawn, hop by hop (ConvGenVisMo)."""
