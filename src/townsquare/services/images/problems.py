from townsquare.problems import Conflict, Invalid, Problem
from townsquare.services.events import ImageNotFound as ImageNotFound

BadImage = Invalid.declare("bad_image", "This is not an image that can be stored")
TooManyImages = Conflict.declare("too_many_images", "You have stored the maximum number of images")
ImagesBusy = Problem.declare(
    "images_busy", "Too many images are uploaded at once, try again in a moment", 503
)
ImagesNotOffered = Problem.declare("images_not_offered", "This server does not accept images", 501)
